import { fieldErrors } from 'rx-informers/controller';
import { StatusError } from 'rx-informers';
import { settings, stage } from './support/stage.js';

const request = { method: 'PATCH', url: '/x' };

describe('fieldErrors', () => {
  it('says each field once, in the order of the server', () => {
    const cause = { field: 'spec.replicas', reason: 'FieldValueInvalid', message: 'Invalid value: -1' };
    const causes = [cause, { message: 'something else' }, { ...cause }];
    const error = new StatusError(request, { code: 422, reason: 'Invalid', details: { causes } });
    expect(fieldErrors(error)).toEqual([cause, { field: '', reason: '', message: 'something else' }]);
  });

  it('is what an embedded server refuses an object for, and the message of the error says it too', () => {
    const { run, client, put } = stage();
    put(settings({}));
    const { error } = run(client.patch('web/settings', { metadata: { labels: { a: '-', b: '-' } } }));
    expect(fieldErrors(error)).not.toHaveLength(0);
    for (const { field, message } of fieldErrors(error)) {
      expect((error as Error).message).toContain(`${field}: ${message}`);
    }
  });

  it('is nothing for other errors', () => {
    const conflict = new StatusError(request, { code: 409, details: { causes: [{ field: 'x' }] } });
    const unexplained = new StatusError(request, { code: 422 });
    expect([conflict, unexplained, new Error('x'), undefined].flatMap(fieldErrors)).toEqual([]);
  });
});
