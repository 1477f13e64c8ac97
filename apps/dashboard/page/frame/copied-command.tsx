import { useEffect, useState, type ReactNode } from 'react';
import { pageAddress } from '../address/use-page-address.js';
import { useClusterInfo } from '../cluster/cluster.js';
import { kubectlCommand } from './kubectl.js';

/** Milliseconds for which the page says what it has copied. */
const shownFor = 8000;

/** Copies the kubectl command of what the page shows, and renders the command for some seconds. */
export function CopiedCommand({ onClose }: { readonly onClose: () => void }): ReactNode {
  const info = useClusterInfo();
  const [{ text, omitted }] = useState(() => kubectlCommand(pageAddress(), info));
  const [isCopied, setCopied] = useState<boolean>();
  useEffect(() => {
    const copy = async (): Promise<void> => {
      try {
        await navigator.clipboard.writeText(text);
        setCopied(true);
      } catch {
        setCopied(false);
      }
    };
    void copy();
    const closing = setTimeout(onClose, shownFor);
    return () => {
      clearTimeout(closing);
    };
  }, [text, onClose]);
  return (
    <p className="copied" role="status">
      {isCopied === true && 'Copied: '}
      {isCopied === false && 'The browser does not permit to copy: '}
      <code>{text}</code>
      {omitted.length > 0 && <span className="fine"> kubectl cannot express: {omitted.join(', ')}.</span>}
    </p>
  );
}
