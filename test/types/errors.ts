import { expectTypeOf } from 'expect-type';
import { isRxInformersError, RxInformersError, StatusError, type InformerError } from 'rx-informers';

declare const caught: unknown;
declare const reported: InformerError;

if (isRxInformersError(caught, 'RXI_KEY_COLLISION')) {
  expectTypeOf(caught.key).toEqualTypeOf<string>();
  expectTypeOf(caught.expected).toEqualTypeOf<boolean>();
  // @ts-expect-error the error has no such field
  expectTypeOf(caught.statusCode).toBeNever();
}

// @ts-expect-error there is no such code
isRxInformersError(caught, 'RXI_KEY_COLISION');

if (caught instanceof RxInformersError && caught.code === 'RXI_UNKNOWN_INDEX')
  expectTypeOf(caught.known).toEqualTypeOf<readonly string[]>();

if (caught instanceof StatusError) expectTypeOf(caught.code).toEqualTypeOf<'RXI_STATUS'>();

if (reported.code === 'RXI_STATUS') expectTypeOf(reported.statusCode).toEqualTypeOf<number>();

// @ts-expect-error an informer does not report this code
export const isUnknownIndex = reported.code === 'RXI_UNKNOWN_INDEX';

// @ts-expect-error the fields of the code are required
new RxInformersError('RXI_BUFFER_OVERFLOW', 'too many keys', {});
