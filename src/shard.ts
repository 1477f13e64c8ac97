/**
 * Shards of KEP-5866: a source that contains a part of the objects of a resource. The API server
 * selects them if it can; otherwise the client does.
 */
export { shardOf } from './sources/reflector/shard.js';
export type { Shard, SourceShard } from './sources/reflector/shard.js';
