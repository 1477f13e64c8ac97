import { Component, type ReactNode } from 'react';
import { plainText } from '../text/text.js';

interface PanelBoundaryProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Renders an error in place of a panel that failed. The other panels keep working. */
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
          This panel failed: {plainText(error instanceof Error ? error.message : 'unknown error')}
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
