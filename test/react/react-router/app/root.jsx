import { Outlet, Scripts } from 'react-router';

export function Layout({ children }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>Pods</title>
        <link rel="icon" href="data:," />
      </head>
      <body>
        {children}
        <Scripts />
      </body>
    </html>
  );
}

export default Outlet;
