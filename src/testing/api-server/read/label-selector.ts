export { matchesLabelSelector, parseLabelSelector } from './shim.js';
