import type { ReactNode } from 'react';
import { useSecond } from '../hooks/use-second.js';
import { ageText } from '../model/age.js';

/** How long ago something was, which goes on by itself. */
export function Age({ since }: { readonly since: string | undefined }): ReactNode {
  const text = useSecond((now) => ageText(now, since));
  return since === undefined ? text : <time dateTime={since}>{text}</time>;
}
