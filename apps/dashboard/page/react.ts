// A part of the page that is evaluated before the other parts: see main.ts.
import 'react-dom/client';
