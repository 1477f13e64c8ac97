/*
 * The script that the page loads before its main script. start.tsx imports this module too, so both
 * use the same instance.
 */
import { sendEarly } from './cluster/early-requests.js';

sendEarly(location.search);
