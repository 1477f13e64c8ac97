import { Component, type ReactNode } from 'react';

export interface BoundaryProps {
  /** The errors that its children have thrown. */
  readonly errors: unknown[];
  readonly children?: ReactNode;
}

/**
 * An error boundary that shows `failed` after an error. It renders its children again when its
 * `key` changes.
 */
export class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    this.props.errors.push(error);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? 'failed' : this.props.children;
  }
}
