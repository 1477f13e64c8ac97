import { unit } from '../../../jest.config.js';
import { onReact } from '../support/on-react.js';

/** The oldest React that rx-informers/react works with; it has no Activity. */
export default onReact('18', { testPathIgnorePatterns: [...unit.testPathIgnorePatterns, 'activity.test'] });
