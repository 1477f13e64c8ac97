/** Which of `count` shards, that together see every object exactly once. */
export interface Shard {
  /** From 0; an integer less than `count`. */
  readonly index: number;
  /** How many there are: a positive integer, and the same for all who share the objects. 1 is no sharding at all. */
  readonly count: number;
  /**
   * What is hashed. Default `uid`: shards are equally large, and an object that is created anew may be another one's. `namespace` keeps
   * the objects of a namespace together, but may not share out anything: names that differ in their last letters only (`team-1`,
   * `team-2`) have hashes so close that they are all of one shard. Objects without a namespace are, too.
   */
  readonly by?: 'uid' | 'namespace' | undefined;
}
