import { describe, expect, it } from 'vitest'
import { schemaSteps } from './schema.ts'

const statements = schemaSteps.flatMap((step) => step.statements)

describe('the schema of the database', () => {
  it('numbers its steps from one, without a gap', () => {
    expect(schemaSteps.map(({ step }) => step)).toEqual(schemaSteps.map((_, index) => index + 1))
  })

  it('can be created twice, because a crash may come between a statement and its record', () => {
    expect(statements.filter((statement) => !/ IF (NOT )?EXISTS /.test(statement))).toEqual([])
  })

  it('has a table for each cube', () => {
    expect(statements[1]).toMatchInlineSnapshot(`
      "CREATE TABLE IF NOT EXISTS platform_performance_facts (
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
      SETTINGS fsync_after_insert = 1, fsync_part_directory = 1"
    `)
  })
})
