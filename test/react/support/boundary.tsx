import { Component, type ReactNode } from 'react';

export interface BoundaryProps {
  /** What was thrown by what it holds. */
  readonly errors: unknown[];
  readonly children?: ReactNode;
}

/** An error boundary that says `failed`, and tries again when it gets another `key`. */
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
