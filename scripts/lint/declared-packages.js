import { isBuiltin } from 'node:module';

/** Reports imports of packages that are not among the options, with types or without. */
export const declaredPackages = {
  meta: { schema: [{ type: 'object' }] },
  create: (context) => {
    const [{ packages, from }] = context.options;
    const check = ({ source }) => {
      const path = source?.value;
      if (typeof path !== 'string' || path.startsWith('.') || isBuiltin(path)) return;
      if (packages.some((name) => path === name || path.startsWith(`${name}/`))) return;
      context.report({ node: source, message: `${path} is not a dependency in ${from}.` });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportAllDeclaration: check,
      ExportNamedDeclaration: check,
      TSImportType: check,
    };
  },
};
