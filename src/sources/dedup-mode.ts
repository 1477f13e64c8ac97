/** What of a batch is left out: repeated deletions only (`client-go`), or all but the net effect (`latest`). */
export type DedupMode = 'client-go' | 'latest';
