import type { CollectionErrorFields } from './collection-error-codes.js';
import type { ControllerErrorFields } from './controller-error-codes.js';
import type { LeaseErrorFields } from './lease-error-codes.js';
import type { SourceErrorFields } from './source-error-codes.js';
import type { TestingErrorFields } from './testing-error-codes.js';

/**
 * The codes of all errors of this package, each with its documentation and the fields of its
 * errors. `docs/reference/errors.md` is generated from these comments.
 *
 * The fields refer to no interface. So the compiler can write the type of an error with a known
 * code into the declarations of a library, which can import no interface without a public name.
 */
export interface ErrorFields
  extends
    ObjectErrorFields,
    SourceErrorFields,
    CollectionErrorFields,
    ControllerErrorFields,
    LeaseErrorFields,
    TestingErrorFields {}

/** The code of an error of this package. */
export type ErrorCode = { [Code in keyof ErrorFields]: Code }[keyof ErrorFields];

/** Errors about options, objects, keys, selectors and resources. */
interface ObjectErrorFields {
  /**
   * Thrown for an option or an argument with an invalid value, such as a negative timeout; in
   * development (`NODE_ENV` is not `production`) also for a misspelt name of an option or a
   * callback, such as `labelselector` or `onadd`.
   *
   * **What to do**: Correct the option that the message names.
   */
  RXI_INVALID_OPTION: { readonly option: string; readonly value: unknown; readonly expected: string };

  /**
   * The label selector is invalid; the API server would refuse it.
   *
   * **What to do**: Correct the selector; the message names the column or the requirement. For a
   * selector that a user types, show the message.
   */
  RXI_INVALID_SELECTOR: {
    readonly selector: unknown;
    readonly problem: string;
    /** From 1; `undefined` if the selector is an object. */
    readonly column: number | undefined;
  };

  /**
   * An object has no `metadata.resourceVersion`. It was not returned by an API server, so it is
   * impossible to tell when a cache has caught up with it.
   *
   * **What to do**: Pass the object that the API server returned for the write, not the object that
   * was sent.
   */
  RXI_UNVERSIONED_OBJECT: { readonly key: string };

  /**
   * An object has no usable `metadata.name` or `metadata.namespace`, so it has no key.
   *
   * **What to do**: Pass an object of the Kubernetes API. For objects of another shape, pass the
   * option `keyOf` to the collection.
   */
  RXI_INVALID_OBJECT: {
    readonly object: unknown;
    /** The reason, for example `it has no metadata`. */
    readonly problem: string;
  };

  /**
   * A text is not a key of the expected form, such as `namespace/name`.
   *
   * **What to do**: Build keys with `metaNamespaceKey` or `partitionedKey`. Split a key of
   * `metaNamespaceKey` with `splitMetaNamespaceKey`, and a key of `partitionedKey` with
   * `splitPartitionedKey`.
   */
  RXI_INVALID_KEY: { readonly key: string; readonly expected: string };

  /**
   * Thrown if the namespace, name or subresource does not fit the resource, for example a namespace
   * for a cluster-scoped kind.
   *
   * **What to do**: Correct the option that the message names.
   */
  RXI_RESOURCE_PATH: { readonly resource: object; readonly options: object; readonly problem: string };

  /**
   * Thrown by `resource()` for a definition that cannot address an object.
   *
   * **What to do**: Correct the field that the message names. Use a ready-made descriptor or
   * `discoverResource` where possible.
   */
  RXI_INVALID_RESOURCE: { readonly definition: object; readonly problem: string };

  /**
   * Thrown if an `apiVersion` is neither `version` nor `group/version`.
   *
   * **What to do**: Correct the text, for example `v1` or `apps/v1`.
   */
  RXI_INVALID_API_VERSION: { readonly apiVersion: string };
}
