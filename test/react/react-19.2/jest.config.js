import { onReact } from '../support/on-react.js';

export default onReact('19.2');
