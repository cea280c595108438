export type SchemaStep = {
  readonly step: number
  readonly name: string
  readonly statements: readonly string[]
}

/**
 * The engine's schema, step by step. A step that has been released never changes: new columns and tables come as new
 * steps. Every statement can run twice, because a crash may fall between a statement and the record of its step.
 *
 * Every fact names the load that brought it; which loads a query may read is the store's to say. Days are partitions,
 * so that replaced and outdated days leave cheaply. A load counts as stored once the engine says so, power cut or not:
 * hence the fsync.
 *
 * What is loaded comes in by way of an intake, which keeps nothing: rows without a fault become facts, and of the
 * others, block by block, the first few faults are kept and all are counted.
 */
export const schemaSteps: readonly SchemaStep[] = [
  {
    step: 1,
    name: 'facts',
    statements: [
      `CREATE TABLE IF NOT EXISTS auctions_facts (
        account LowCardinality(String),
        day Date,
        load UInt64,
        ad_size LowCardinality(String) CODEC(ZSTD(1)),
        adgroup_id LowCardinality(String) CODEC(ZSTD(1)),
        adgroup_name LowCardinality(String) CODEC(ZSTD(1)),
        adgroup_priority LowCardinality(String) CODEC(ZSTD(1)),
        adomain LowCardinality(String) CODEC(ZSTD(1)),
        adunit_id LowCardinality(String) CODEC(ZSTD(1)),
        adunit_name LowCardinality(String) CODEC(ZSTD(1)),
        age_range LowCardinality(String) CODEC(ZSTD(1)),
        app_version LowCardinality(String) CODEC(ZSTD(1)),
        app_name LowCardinality(String) CODEC(ZSTD(1)),
        app_id LowCardinality(String) CODEC(ZSTD(1)),
        adunit_format LowCardinality(String) CODEC(ZSTD(1)),
        bidder_name LowCardinality(String) CODEC(ZSTD(1)),
        buyer_seat LowCardinality(String) CODEC(ZSTD(1)),
        consent_status LowCardinality(String) CODEC(ZSTD(1)),
        consent_status_details LowCardinality(String) CODEC(ZSTD(1)),
        country LowCardinality(String) CODEC(ZSTD(1)),
        creative_id LowCardinality(String) CODEC(ZSTD(1)),
        creative_mraid LowCardinality(String) CODEC(ZSTD(1)),
        creative_video_served LowCardinality(String) CODEC(ZSTD(1)),
        device LowCardinality(String) CODEC(ZSTD(1)),
        gender LowCardinality(String) CODEC(ZSTD(1)),
        global_aid LowCardinality(String) CODEC(ZSTD(1)),
        has_device_id LowCardinality(String) CODEC(ZSTD(1)),
        has_location LowCardinality(String) CODEC(ZSTD(1)),
        impression_latency LowCardinality(String) CODEC(ZSTD(1)),
        interstitial_playables_enabled LowCardinality(String) CODEC(ZSTD(1)),
        inventory_package LowCardinality(String) CODEC(ZSTD(1)),
        os LowCardinality(String) CODEC(ZSTD(1)),
        os_version LowCardinality(String) CODEC(ZSTD(1)),
        order_advertiser LowCardinality(String) CODEC(ZSTD(1)),
        order_id LowCardinality(String) CODEC(ZSTD(1)),
        order_name LowCardinality(String) CODEC(ZSTD(1)),
        price_floor LowCardinality(String) CODEC(ZSTD(1)),
        publisher LowCardinality(String) CODEC(ZSTD(1)),
        publisher_id LowCardinality(String) CODEC(ZSTD(1)),
        request_video_duration LowCardinality(String) CODEC(ZSTD(1)),
        response_deal_id LowCardinality(String) CODEC(ZSTD(1)),
        response_video_duration LowCardinality(String) CODEC(ZSTD(1)),
        sdk_version LowCardinality(String) CODEC(ZSTD(1)),
        site LowCardinality(String) CODEC(ZSTD(1)),
        time LowCardinality(String) CODEC(ZSTD(1)),
        video_inventory_enabled LowCardinality(String) CODEC(ZSTD(1)),
        viewability_vendors_response LowCardinality(String) CODEC(ZSTD(1)),
        winning_creative_ad_size LowCardinality(String) CODEC(ZSTD(1)),
        auctions UInt64,
        auctions_won UInt64,
        bids UInt64,
        bid_amount Decimal(18, 6),
        winning_bid_amount Decimal(18, 6),
        cleared UInt64,
        clicks UInt64,
        net_revenue Decimal(18, 6),
        video_start UInt64,
        video_midpoint UInt64,
        video_complete UInt64,
        devices AggregateFunction(uniqCombined64(14), UInt64)
      ) ENGINE = MergeTree
      PARTITION BY day
      ORDER BY (account, load, adunit_id, country)
      SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
      `CREATE TABLE IF NOT EXISTS platform_performance_facts (
        account LowCardinality(String),
        day Date,
        load UInt64,
        account_key LowCardinality(String) CODEC(ZSTD(1)),
        publisher_name LowCardinality(String) CODEC(ZSTD(1)),
        app_id LowCardinality(String) CODEC(ZSTD(1)),
        app_name LowCardinality(String) CODEC(ZSTD(1)),
        adgroup_type LowCardinality(String) CODEC(ZSTD(1)),
        adgroup_network_type LowCardinality(String) CODEC(ZSTD(1)),
        adgroup_id LowCardinality(String) CODEC(ZSTD(1)),
        adgroup_name LowCardinality(String) CODEC(ZSTD(1)),
        adunit_id LowCardinality(String) CODEC(ZSTD(1)),
        adunit_name LowCardinality(String) CODEC(ZSTD(1)),
        adunit_format LowCardinality(String) CODEC(ZSTD(1)),
        country LowCardinality(String) CODEC(ZSTD(1)),
        os LowCardinality(String) CODEC(ZSTD(1)),
        order_id LowCardinality(String) CODEC(ZSTD(1)),
        order_advertiser LowCardinality(String) CODEC(ZSTD(1)),
        order_name LowCardinality(String) CODEC(ZSTD(1)),
        nr_network_type LowCardinality(String) CODEC(ZSTD(1)),
        sdk_version LowCardinality(String) CODEC(ZSTD(1)),
        ad_requests UInt64,
        attempts UInt64,
        attempt_responses UInt64,
        fills UInt64,
        impressions UInt64,
        clicks UInt64,
        revenue Decimal(18, 6),
        demand_latency_ms UInt64,
        waterfall_latency_ms UInt64,
        nr_impressions UInt64,
        nr_revenue Decimal(18, 6),
        devices AggregateFunction(uniqCombined64(14), UInt64)
      ) ENGINE = MergeTree
      PARTITION BY day
      ORDER BY (account, load, adunit_id, country)
      SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
    ],
  },
  {
    step: 2,
    name: 'intake',
    statements: ['auctions', 'platform_performance'].flatMap((cube) => [
      `CREATE TABLE IF NOT EXISTS ${cube}_intake AS ${cube}_facts ENGINE = Null`,
      `ALTER TABLE ${cube}_intake
        ADD COLUMN IF NOT EXISTS file UInt32,
        ADD COLUMN IF NOT EXISTS row UInt64,
        ADD COLUMN IF NOT EXISTS faults Array(Tuple(field String, reason String)),
        ADD COLUMN IF NOT EXISTS warnings Array(Tuple(field String, reason String))`,
      `CREATE TABLE IF NOT EXISTS load_faults (
        load UInt64,
        file UInt32,
        kind LowCardinality(String),
        count UInt64,
        first Array(Tuple(row UInt64, field String, reason String)),
        found_at DateTime DEFAULT now()
      ) ENGINE = MergeTree ORDER BY (load, file) TTL found_at + INTERVAL 30 DAY
      SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
      `CREATE MATERIALIZED VIEW IF NOT EXISTS ${cube}_intake_facts TO ${cube}_facts AS
      SELECT * EXCEPT (file, row, faults, warnings) FROM ${cube}_intake WHERE empty(faults)`,
      `CREATE MATERIALIZED VIEW IF NOT EXISTS ${cube}_intake_faults TO load_faults AS
      SELECT load, file, found.1 AS kind, count() AS count, groupArray(20)((row, found.2, found.3)) AS first
      FROM ${cube}_intake
      ARRAY JOIN arrayConcat(
        arrayMap(each -> ('fault', each.1, each.2), faults),
        arrayMap(each -> ('warning', each.1, each.2), warnings)
      ) AS found
      GROUP BY load, file, kind`,
    ]),
  },
]
