/** A decimal integer of any length, without a leading zero: what every kube-apiserver gives, and nothing else does by accident. */
const integer = /^[1-9][0-9]*$/;

/**
 * Which of two resourceVersions of one resource is the later one: negative where `one` is the earlier, 0 where they are the same,
 * positive where `one` is the later, `undefined` where nobody can tell.
 *
 * Kubernetes 1.35 documents versions of one resource type as integers that only grow, for everything that kube-apiserver serves (KEP-5504;
 * they always were). Extension API servers may give something else: that is compared for equality only. `''` is no version.
 *
 * **Does not guarantee**: any meaning for versions of two resources, or of two clusters.
 *
 * @example
 * import { compareResourceVersions } from 'rx-informers';
 *
 * compareResourceVersions('9', '10'); // negative
 * compareResourceVersions('v9', 'v10'); // undefined
 */
export function compareResourceVersions(one: string, other: string): number | undefined {
  if (one === '' || other === '') return undefined;
  if (one === other) return 0;
  if (!integer.test(one) || !integer.test(other)) return undefined;
  if (one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : 1;
}
