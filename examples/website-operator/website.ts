import type { websites } from './websites.example.com.js';

export { websites } from './websites.example.com.js';

/** A website as the API server sends it. Its types are generated from `website-crd.yaml`. */
export type Website = NonNullable<typeof websites.objectType>;

export type WebsiteSpec = Website['spec'];
