// Examples are tests of their own; this runs them with the others.
import '../../examples/testing/troubled-pods.test.js';
