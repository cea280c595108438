DELETE FROM "api_keys" WHERE "expires_at" < ? AND "id" IN ( SELECT "id" FROM "api_keys" WHERE "expires_at" < ? ORDER BY "expires_at" LIMIT ? )
DELETE FROM "audit" WHERE "at" < ? AND "id" IN ( SELECT "id" FROM "audit" WHERE "at" < ? ORDER BY "at" LIMIT ? )
DELETE FROM "leases" WHERE "until" < ? AND "name" IN ( SELECT "name" FROM "leases" WHERE "until" < ? ORDER BY "until" LIMIT ? )
DELETE FROM "loads" WHERE "finished_at" < ? AND (state = 'visible' OR swept_at IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM "visible_loads" AS other WHERE other.load_id = loads.id) AND NOT EXISTS (SELECT 1 FROM "retired_loads" AS other WHERE other.load_id = loads.id) AND NOT EXISTS (SELECT 1 FROM "appended_files" AS other WHERE other.load_id = loads.id) AND "id" IN ( SELECT "id" FROM "loads" WHERE "finished_at" < ? AND (state = 'visible' OR swept_at IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM "visible_loads" AS other WHERE other.load_id = loads.id) AND NOT EXISTS (SELECT 1 FROM "retired_loads" AS other WHERE other.load_id = loads.id) AND NOT EXISTS (SELECT 1 FROM "appended_files" AS other WHERE other.load_id = loads.id) ORDER BY "finished_at" LIMIT ? )
DELETE FROM "people" WHERE "invitation_expires_at" < ? AND password_hash IS NULL AND "id" IN ( SELECT "id" FROM "people" WHERE "invitation_expires_at" < ? AND password_hash IS NULL ORDER BY "invitation_expires_at" LIMIT ? )
DELETE FROM "sessions" WHERE "last_seen_at" < ? AND "selector" IN ( SELECT "selector" FROM "sessions" WHERE "last_seen_at" < ? ORDER BY "last_seen_at" LIMIT ? )
SELECT 1
delete from "appended_files" where "load_id" in (?) and not exists (select "day" from "visible_loads" where "visible_loads"."load_id" = "appended_files"."load_id")
delete from "jobs" where "id" = ?
delete from "leases" where "name" = ? and "holder" = ?
delete from "people" where "email" = ? and "password_hash" is null and "invitation_expires_at" <= ?
delete from "people" where "id" = ?
delete from "retired_loads" where ("cube" = ? and "account_id" = ? and "day" = ? and "load_id" = ?)
delete from "sessions" where "person_id" = ?
delete from "sessions" where "selector" = ?
delete from "views" where "id" = ? and "person_id" = ?
delete from "visible_loads" where "cube" = ? and "account_id" = ? and "day" in (?) and "load_id" < ? returning "cube", "account_id", "day", "load_id"
delete from "visible_loads" where ("cube" = ? and "account_id" = ? and "day" = ? and "load_id" = ?)
insert into "accounts" ("rate_factor", "id", "name", "created_at", "cubes") values (?, ?, ?, ?, ?) on conflict do nothing
insert into "api_keys" ("id", "account_id", "name", "last_four", "created_at", "expires_at", "last_used_at", "selector", "verifier") values (?, ?, ?, ?, ?, ?, ?, ?, ?)
insert into "appended_files" ("checksum", "load_id") values (?, ?)
insert into "audit" ("account_id", "actor", "action", "subject", "at") values (?, ?, ?, ?, ?)
insert into "audit" ("account_id", "at", "action", "subject", "actor") values (?, ?, ?, ?, ?)
insert into "audit" ("account_id", "at", "actor", "action", "subject") values (?, ?, ?, ?, ?)
insert into "audit" ("account_id", "at", "actor", "subject", "action") values (?, ?, ?, ?, ?)
insert into "jobs" ("id", "account_id", "cube", "start_day", "end_day", "body", "created_at", "deadline_at", "state", "available_at", "attempts", "excused", "progress") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning "id", "account_id", "cube", "start_day", "end_day", "state", "created_at", "deadline_at", "attempts", "excused", "started_at", "finished_at", "progress", "file", "rows", "bytes", "checksum", "failure_reason", "expires_at"
insert into "jobs" ("id", "account_id", "cube", "start_day", "end_day", "body", "idempotency_key", "created_at", "deadline_at", "state", "available_at", "attempts", "excused", "progress") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning "id", "account_id", "cube", "start_day", "end_day", "state", "created_at", "deadline_at", "attempts", "excused", "started_at", "finished_at", "progress", "file", "rows", "bytes", "checksum", "failure_reason", "expires_at"
insert into "leases" ("name", "holder", "until") values (?, ?, ?) on conflict ("name") do update set "holder" = ?, "until" = ? where ("leases"."holder" = ? or "leases"."until" <= ?)
insert into "loads" ("mode", "loaded_by", "cube", "state", "files", "started_at", "alive_at") values (?, ?, ?, ?, ?, ?, ?) returning "id"
insert into "people" ("id", "account_id", "email", "role", "created_at", "invitation_selector", "invitation_verifier", "invitation_expires_at") values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing returning "id", "account_id", "email", "role", "invitation_expires_at", "created_at", "last_signed_in_at"
insert into "people" ("id", "account_id", "email", "role", "created_at", "password_hash") values (?, ?, ?, ?, ?, ?) on conflict do nothing returning "id", "account_id", "email", "role", "invitation_expires_at", "created_at", "last_signed_in_at"
insert into "rate_states" ("account_id", "state") values (?, ?) on conflict ("account_id") do update set "state" = "rate_states"."state" returning "state"
insert into "retired_loads" ("cube", "account_id", "day", "load_id", "retired_at") values (?, ?, ?, ?, ?)
insert into "sessions" ("selector", "verifier", "person_id", "created_at", "last_seen_at") values (?, ?, ?, ?, ?)
insert into "views" ("id", "person_id", "name", "search", "created_at") values (?, ?, ?, ?, ?)
insert into "visible_loads" ("cube", "account_id", "day", "load_id", "bytes", "checksum", "rows", "rollup_bytes", "rollup_checksum", "rollup_rows", "rollup_has") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
select "account_id" as "account", "day", "load_id" as "load" from "retired_loads" where "cube" = ? and "retired_at" < ? and "day" = ? limit ?
select "accounts".*, "api_keys"."id" as "key_id", "api_keys"."verifier", "api_keys"."expires_at" from "api_keys" inner join "accounts" on "accounts"."id" = "api_keys"."account_id" where "selector" = ? and "deleted_at" is null
select "created_at" from "jobs" where "account_id" = ? and "created_at" > ? and not ("state" = ? and coalesce("waits_for", ?) = ?) order by "created_at"
select "cube", "account_id", "day", "load_id" from "visible_loads" where "day" < ? order by "day" limit ?
select "cube", "state", count(*) as "loads", CAST(coalesce(sum("rows"), 0) AS bigint) as "rows" from (select "cube", "state", "rows", "started_at" from "loads" order by "id" desc limit ?) as "newest" where "started_at" > ? group by "cube", "state"
select "day" from "retired_loads" where "cube" = ? and "retired_at" < ? order by "day" limit ?
select "day", "load_id" as "load", "columns", "rollup_has" from "visible_loads" inner join "loads" on "loads"."id" = "load_id" where "visible_loads"."cube" = ? and "account_id" = ? and "day" >= ? and "day" <= ? order by "day", "load_id"
select "day", "load_id" as "load", "columns", "rollup_has" from "visible_loads" inner join "loads" on "loads"."id" = "load_id" where "visible_loads"."cube" = ? and "account_id" = ? and "day" >= ? order by "day", "load_id"
select "day", case when count("visible_loads"."rows") = count(*) then cast(sum("visible_loads"."rows") as bigint) end as "rows", count(*) as "loads" from "visible_loads" where "account_id" = ? and "cube" = ? and "day" >= ? group by "day" order by "day"
select "id" from "jobs" where "id" = ? and "attempts" = ? and "state" = ? and "lease_until" is not null
select "id" from "loads" where "cube" = ? and "state" in (?) and "swept_at" is null limit ?
select "id" from "loads" where "id" in (?) and "state" = ?
select "id" from "people" where "account_id" = ? and "role" = ? and "password_hash" is not null and "id" != ? limit ?
select "id", "account_id", "cube", "start_day", "end_day", "state", "created_at", "deadline_at", "attempts", "excused", "started_at", "finished_at", "progress", "file", "rows", "bytes", "checksum", "failure_reason", "expires_at" from "jobs" where "id" = ? and "removed_at" is null
select "id", "account_id", "cube", "start_day", "end_day", "state", "created_at", "deadline_at", "attempts", "excused", "started_at", "finished_at", "progress", "file", "rows", "bytes", "checksum", "failure_reason", "expires_at", "body" from "jobs" where "account_id" = ? and "idempotency_key" = ? and "created_at" > ?
select "id", "account_id", "cube", "start_day", "end_day", "state", "created_at", "deadline_at", "attempts", "excused", "started_at", "finished_at", "progress", "file", "rows", "bytes", "checksum", "failure_reason", "expires_at", case when octet_length("body") <= ? then "body" end as "query" from "jobs" where "account_id" = ? and "removed_at" is null and "created_at" > ? order by "created_at" desc, "id" desc
select "id", "account_id", "cube", "start_day", "end_day", "state", "created_at", "deadline_at", "attempts", "excused", "started_at", "finished_at", "progress", "file", "rows", "bytes", "checksum", "failure_reason", "expires_at", case when octet_length("body") <= ? then "body" end as "query" from "jobs" where "account_id" = ? and "removed_at" is null and "id" = ? order by "created_at" desc, "id" desc
select "id", "account_id", "cube", "start_day", "end_day", "state", "created_at", "deadline_at", "attempts", "excused", "started_at", "finished_at", "progress", "file", "rows", "bytes", "checksum", "failure_reason", "expires_at", case when octet_length("body") <= ? then "body" end as "query" from "jobs" where "account_id" = ? and "removed_at" is null and "id" = ? order by "created_at" desc, "id" desc limit ?
select "id", "account_id", "cube", "start_day", "end_day", "state", "created_at", "deadline_at", "attempts", "excused", "started_at", "finished_at", "progress", "file", "rows", "bytes", "checksum", "failure_reason", "expires_at", case when octet_length("body") <= ? then "body" end as "query" from "jobs" where "account_id" = ? and "removed_at" is null and "state" = ? order by "created_at" desc, "id" desc
select "id", "account_id", "cube", "start_day", "end_day", "state", "created_at", "deadline_at", "attempts", "excused", "started_at", "finished_at", "progress", "file", "rows", "bytes", "checksum", "failure_reason", "expires_at", case when octet_length("body") <= ? then "body" end as "query" from "jobs" where "account_id" = ? and "removed_at" is null and ("created_at", "id") < (?, ?) order by "created_at" desc, "id" desc limit ?
select "id", "account_id", "cube", "start_day", "end_day", "state", "created_at", "deadline_at", "attempts", "excused", "started_at", "finished_at", "progress", "file", "rows", "bytes", "checksum", "failure_reason", "expires_at", case when octet_length("body") <= ? then "body" end as "query" from "jobs" where "account_id" = ? and "removed_at" is null order by "created_at" desc, "id" desc limit ?
select "id", "account_id", "email", "role", "invitation_expires_at", "created_at", "last_signed_in_at" from "people" order by "email"
select "id", "account_id", "email", "role", "invitation_expires_at", "created_at", "last_signed_in_at" from "people" where "account_id" = ? and "email" > ? order by "email" limit ?
select "id", "account_id", "email", "role", "invitation_expires_at", "created_at", "last_signed_in_at" from "people" where "account_id" = ? order by "email"
select "id", "account_id", "email", "role", "invitation_expires_at", "created_at", "last_signed_in_at" from "people" where "account_id" = ? order by "email" limit ?
select "id", "account_id", "email", "role", "invitation_expires_at", "created_at", "last_signed_in_at" from "people" where "email" = ?
select "id", "account_id", "email", "role", "invitation_expires_at", "created_at", "last_signed_in_at" from "people" where "id" = ?
select "id", "account_id", "email", "role", "invitation_expires_at", "created_at", "last_signed_in_at", "invitation_verifier" from "people" where "invitation_selector" = ?
select "id", "account_id", "email", "role", "invitation_expires_at", "created_at", "last_signed_in_at", "password_hash" from "people" where "email" = ?
select "id", "account_id", "name", "last_four", "created_at", "expires_at", "last_used_at" from "api_keys" where "account_id" = ? and "deleted_at" is null order by "created_at" desc, "id"
select "id", "at", "actor", "action", "subject" from "audit" where "account_id" = ? and "action" = ? order by "id" desc limit ?
select "id", "at", "actor", "action", "subject" from "audit" where "account_id" = ? and "actor" = ? and "action" = ? and "at" >= ? and "at" < ? order by "id" desc limit ?
select "id", "at", "actor", "action", "subject" from "audit" where "account_id" = ? and "actor" = ? and "action" = ? order by "id" desc limit ?
select "id", "at", "actor", "action", "subject" from "audit" where "account_id" = ? and "actor" = ? and "at" >= ? and "at" < ? order by "id" desc limit ?
select "id", "at", "actor", "action", "subject" from "audit" where "account_id" = ? and "actor" = ? and "id" < ? order by "id" desc limit ?
select "id", "at", "actor", "action", "subject" from "audit" where "account_id" = ? and "actor" = ? order by "id" desc limit ?
select "id", "at", "actor", "action", "subject" from "audit" where "account_id" = ? and "at" < ? order by "id" desc limit ?
select "id", "at", "actor", "action", "subject" from "audit" where "account_id" = ? and "at" >= ? and "at" < ? order by "id" desc limit ?
select "id", "at", "actor", "action", "subject" from "audit" where "account_id" = ? and "id" < ? order by "id" desc limit ?
select "id", "at", "actor", "action", "subject" from "audit" where "account_id" = ? order by "id" desc limit ?
select "id", "attempts", "excused" from "jobs" where "state" = ? and "available_at" <= ? and "deadline_at" > ? and ("lease_until" is null or "lease_until" <= ?) and "account_id" not in (?) order by (select count(*) as "count" from "jobs" as "started" where "started"."account_id" = "jobs"."account_id" and "started"."started_at" > ?), "created_at", "id" limit ?
select "id", "attempts", "excused" from "jobs" where "state" = ? and "available_at" <= ? and "deadline_at" > ? and ("lease_until" is null or "lease_until" <= ?) order by (select count(*) as "count" from "jobs" as "started" where "started"."account_id" = "jobs"."account_id" and "started"."started_at" > ?), "created_at", "id" limit ?
select "id", "file" from "jobs" where "expires_at" <= ? order by "expires_at" limit ?
select "id", "file", "state", "attempts", "lease_until" from "jobs" where "id" in (?)
select "jobs"."id", "jobs"."account_id", "jobs"."cube", "jobs"."start_day", "jobs"."end_day", "jobs"."state", "jobs"."created_at", "jobs"."deadline_at", "jobs"."attempts", "jobs"."excused", "jobs"."started_at", "jobs"."finished_at", "jobs"."progress", "jobs"."file", "jobs"."rows", "jobs"."bytes", "jobs"."checksum", "jobs"."failure_reason", "jobs"."expires_at", "jobs"."blocks", "accounts"."disabled_at", "accounts"."cubes" from "jobs" inner join "accounts" on "accounts"."id" = "jobs"."account_id" where "jobs"."id" = ? and "jobs"."removed_at" is null
select "load_id" from "visible_loads" inner join "loads" on "loads"."id" = "visible_loads"."load_id" where "visible_loads"."cube" = ? and "account_id" = ? and "day" in (?) and "load_id" > ? and "mode" = ? limit ?
select "loads"."id", "loads"."cube", "loads"."mode", "loads"."loaded_by", "loads"."started_at", "loads"."finished_at", count(*) as "days", min("visible_loads"."day") as "first_day", max("visible_loads"."day") as "last_day", case when count("visible_loads"."rows") = count(*) then cast(sum("visible_loads"."rows") as bigint) end as "rows", case when "loads"."accounts" = ? then "loads"."files" end as "files", case when "loads"."accounts" = ? then "loads"."warnings" end as "warnings" from "visible_loads" inner join "loads" on "loads"."id" = "visible_loads"."load_id" where "visible_loads"."account_id" = ? and "visible_loads"."cube" = ? and "visible_loads"."load_id" < ? group by "loads"."id" order by "loads"."id" desc limit ?
select "loads"."id", "loads"."cube", "loads"."mode", "loads"."loaded_by", "loads"."started_at", "loads"."finished_at", count(*) as "days", min("visible_loads"."day") as "first_day", max("visible_loads"."day") as "last_day", case when count("visible_loads"."rows") = count(*) then cast(sum("visible_loads"."rows") as bigint) end as "rows", case when "loads"."accounts" = ? then "loads"."files" end as "files", case when "loads"."accounts" = ? then "loads"."warnings" end as "warnings" from "visible_loads" inner join "loads" on "loads"."id" = "visible_loads"."load_id" where "visible_loads"."account_id" = ? and "visible_loads"."cube" = ? group by "loads"."id" order by "loads"."id" desc limit ?
select "loads".*, (select count(distinct "day") as "days" from "visible_loads" where "load_id" = "loads"."id") as "visible_days" from "loads" order by "id" desc limit ?
select "loads".*, (select count(distinct "day") as "days" from "visible_loads" where "load_id" = "loads"."id") as "visible_days" from "loads" where "cube" = ? and "id" < ? order by "id" desc limit ?
select "loads".*, (select count(distinct "day") as "days" from "visible_loads" where "load_id" = "loads"."id") as "visible_days" from "loads" where "cube" = ? order by "id" desc limit ?
select "state" from "rate_states" where "account_id" = ?
select "state", CASE WHEN failure_reason = 'cancelled' THEN 1 ELSE 0 END as "cancelled", count(*) as "jobs" from "jobs" where "state" in (?) and "finished_at" > ? group by "state", CASE WHEN failure_reason = 'cancelled' THEN 1 ELSE 0 END
select * from "accounts" order by "created_at", "id"
select * from "accounts" where "id" = ?
select * from "sessions" where "selector" = ?
select * from "views" where "person_id" = ? order by "created_at", "id"
select count(*) as "count" from "api_keys" where "account_id" = ? and "deleted_at" is null and "expires_at" > ?
select count(*) as "count" from "people" where "account_id" = ?
select count(*) as "open", count(CASE WHEN coalesce(lease_until, 0) > ? THEN 1 END) as "running", min(CASE WHEN NOT coalesce(lease_until, 0) > ? THEN created_at END) as "oldest_queued_at", min(CASE WHEN coalesce(lease_until, 0) > ? THEN started_at END) as "oldest_running_at" from "jobs" where "state" = ?
select distinct "appended_files"."checksum", "appended_files"."load_id" as "load" from "appended_files" inner join "visible_loads" on "visible_loads"."load_id" = "appended_files"."load_id" where "cube" = ? and "appended_files"."checksum" in (?)
select max("day") as "day" from "visible_loads" where "cube" = ?
select min("day") as "start", max("day") as "end" from "visible_loads" where "cube" = ? and "account_id" = ? and "day" >= ?
update "accounts" set "cubes" = ? where "id" = ?
update "accounts" set "disabled_at" = ? where "id" = ?
update "accounts" set "id" = "id" where "id" = ?
update "accounts" set "name" = ? where "id" = ?
update "accounts" set "rate_factor" = ? where "id" = ?
update "accounts" set "rate_factor" = ?, "cubes" = ? where "id" = ?
update "api_keys" set "deleted_at" = ? where "id" = ? and "account_id" = ? and "deleted_at" is null returning "id", "account_id", "name", "last_four", "created_at", "expires_at", "last_used_at"
update "api_keys" set "deleted_at" = ? where "id" = ? and "deleted_at" is null returning "id", "account_id", "name", "last_four", "created_at", "expires_at", "last_used_at"
update "api_keys" set "last_used_at" = ? where "id" = ? and ("last_used_at" is null or "last_used_at" < ?)
update "jobs" set "lease_until" = ?, "attempts" = "attempts" + ?, "started_at" = coalesce("started_at", ?) where "id" = ? returning "id", "account_id", "cube", "start_day", "end_day", "state", "created_at", "deadline_at", "attempts", "excused", "started_at", "finished_at", "progress", "file", "rows", "bytes", "checksum", "failure_reason", "expires_at", "body"
update "jobs" set "lease_until" = ?, "available_at" = ?, "waits_for" = ? where "id" = ? and "attempts" = ? and "state" = ? and "lease_until" is not null
update "jobs" set "lease_until" = ?, "available_at" = ?, "waits_for" = ?, "excused" = excused + 1 where "id" = ? and "attempts" = ? and "state" = ? and "lease_until" is not null
update "jobs" set "lease_until" = ?, "progress" = ?, "waits_for" = ? where "id" = ? and "attempts" = ? and "state" = ? and "lease_until" is not null
update "jobs" set "removed_at" = ?, "file" = ? where "id" = ?
update "jobs" set "state" = ?, "failure_reason" = ?, "finished_at" = ?, "expires_at" = ?, "lease_until" = ?, "waits_for" = ? where "id" = ? and "attempts" = ? and "state" = ? and "lease_until" is not null
update "jobs" set "state" = ?, "failure_reason" = ?, "finished_at" = ?, "expires_at" = ?, "lease_until" = ?, "waits_for" = ? where "id" = ? and "state" = ?
update "jobs" set "state" = ?, "failure_reason" = ?, "finished_at" = ?, "expires_at" = ?, "lease_until" = ?, "waits_for" = ? where "id" = ? returning "id", "account_id", "cube", "start_day", "end_day", "state", "created_at", "deadline_at", "attempts", "excused", "started_at", "finished_at", "progress", "file", "rows", "bytes", "checksum", "failure_reason", "expires_at"
update "jobs" set "state" = ?, "failure_reason" = case "waits_for" when ? then ? when ? then ? else ? end, "finished_at" = ?, "expires_at" = ?, "lease_until" = ? where "state" = ? and "id" in (select "id" from "jobs" where "state" = ? and "deadline_at" <= ? order by "deadline_at" limit ?) returning "id", "account_id", "failure_reason"
update "jobs" set "state" = ?, "progress" = ?, "file" = ?, "rows" = ?, "bytes" = ?, "checksum" = ?, "blocks" = ?, "finished_at" = ?, "expires_at" = ?, "lease_until" = ?, "waits_for" = ? where "id" = ? and "attempts" = ? and "state" = ? and "lease_until" is not null
update "jobs" set "state" = ?, "progress" = ?, "file" = ?, "rows" = ?, "bytes" = ?, "checksum" = ?, "finished_at" = ?, "expires_at" = ?, "lease_until" = ?, "waits_for" = ? where "id" = ? and "attempts" = ? and "state" = ? and "lease_until" is not null
update "loads" set "alive_at" = ? where "id" = ? and "state" = ?
update "loads" set "finished_at" = ?, "rows" = ?, "accounts" = ?, "first_day" = ?, "last_day" = ?, "files" = ?, "warnings" = ?, "state" = ? where "id" = ? and "state" = ?
update "loads" set "finished_at" = ?, "rows" = ?, "accounts" = ?, "first_day" = ?, "last_day" = ?, "files" = ?, "warnings" = ?, "state" = ?, "failure_reason" = ? where "id" = ? and "state" = ?
update "loads" set "state" = ?, "finished_at" = ?, "failure_reason" = ? where "id" = ? and "state" = ?
update "loads" set "state" = ?, "finished_at" = ?, "failure_reason" = ? where "state" = ? and "alive_at" < ?
update "loads" set "swept_at" = ? where "id" in (?) and "finished_at" <= ?
update "loads" set "swept_at" = ?, "finished_at" = ? where "id" = ? and "state" = ?
update "people" set "last_signed_in_at" = ? where "id" = ? and "password_hash" = ?
update "people" set "password_hash" = ?, "invitation_selector" = ?, "invitation_verifier" = ?, "invitation_expires_at" = ? where "id" = ?
update "people" set "password_hash" = ?, "invitation_selector" = ?, "invitation_verifier" = ?, "invitation_expires_at" = ? where "id" = ? and "invitation_selector" = ?
update "people" set "password_hash" = ?, "invitation_selector" = ?, "invitation_verifier" = ?, "invitation_expires_at" = ? where "id" = ? and "password_hash" = ?
update "people" set "role" = ? where "id" = ?
update "rate_states" set "state" = ? where "account_id" = ?
update "sessions" set "last_seen_at" = ? where "selector" = ?
update "views" set "name" = ?, "search" = ? where "id" = ? and "person_id" = ? returning *
delete from "leases"
insert into "loads" ("mode", "loaded_by", "cube", "columns", "state", "files", "started_at", "alive_at") values (?, ?, ?, ?, ?, ?, ?, ?) returning "id"
insert into "secrets" ("name", "value") values (?, ?) on conflict do nothing
select "account_id" as "account", "day", "load_id" as "load" from "retired_loads" where "load_id" = ? and "cube" = ?
select "account_id" as "account", "day", "load_id" as "load", "bytes", "checksum", "rows", "rollup_bytes", "rollup_checksum", "rollup_rows" from "visible_loads" where "load_id" = ? and "cube" = ?
select "cube", "account_id", "day" from "visible_loads" where "cube" = ? group by "cube", "account_id", "day" having count(*) > ?
select "id", "file", "bytes", "checksum" from "jobs" where "id" > ? and "file" is not null order by "id" limit ?
select "load_id" from "retired_loads" where ("cube" = ? and "account_id" = ? and "day" = ?)
select "load_id" from "visible_loads" where ("cube" = ? and "account_id" = ? and "day" = ?)
select "load_id" from "visible_loads" where ("cube" = ? and "account_id" = ? and "day" = ?) order by "load_id"
select "loads".*, (select count(distinct "day") as "days" from "visible_loads" where "load_id" = "loads"."id") as "visible_days" from "loads" where "id" < ? order by "id" desc limit ?
select "state", "swept_at" from "loads" where "id" = ?
select "value" from "secrets" where "name" = ?
select count(*) as "count" from "jobs" where "file" is not null
select count(*) as "count" from "visible_loads"
select distinct "load_id" from "visible_loads" where "cube" = ? order by "load_id"
update "accounts" set "disabled_at" = ?, "cubes" = ? where "id" = ?
update "jobs" set "state" = ?, "progress" = ?, "rows" = ?, "bytes" = ?, "checksum" = ?, "blocks" = ?, "file" = ?, "finished_at" = ?, "expires_at" = ?, "lease_until" = ?, "waits_for" = ? where "id" = ? and "attempts" = ? and "state" = ? and "lease_until" is not null
update "loads" set "state" = ?, "finished_at" = ?, "failure_reason" = ?, "files" = ? where "id" = ? and "state" = ?
-- PostgreSQL -- select "id", "attempts", "excused" from "jobs" where "state" = ? and "available_at" <= ? and "deadline_at" > ? and ("lease_until" is null or "lease_until" <= ?) and "account_id" not in (?) order by (select count(*) as "count" from "jobs" as "started" where "started"."account_id" = "jobs"."account_id" and "started"."started_at" > ?), "created_at", "id" limit ? for update skip locked
-- PostgreSQL -- select "id", "attempts", "excused" from "jobs" where "state" = ? and "available_at" <= ? and "deadline_at" > ? and ("lease_until" is null or "lease_until" <= ?) order by (select count(*) as "count" from "jobs" as "started" where "started"."account_id" = "jobs"."account_id" and "started"."started_at" > ?), "created_at", "id" limit ? for update skip locked
