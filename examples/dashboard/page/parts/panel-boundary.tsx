import { Component, type ReactNode } from 'react';
import { plainText } from '../model/plain-text.js';

interface PanelBoundaryProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Where a panel fails, it says so, and the others go on. */
export class PanelBoundary extends Component<PanelBoundaryProps, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {};

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { title, children } = this.props;
    const { error } = this.state;
    if (error === undefined) return children;
    return (
      <section className="panel" role="alert">
        <h2>{title}</h2>
        <p className="notice">
          This panel cannot be drawn:{' '}
          {plainText(error instanceof Error ? error.message : 'for a reason that it does not say')}
        </p>
        <button
          type="button"
          onClick={() => {
            this.setState({ error: undefined });
          }}
        >
          Try again
        </button>
      </section>
    );
  }
}
