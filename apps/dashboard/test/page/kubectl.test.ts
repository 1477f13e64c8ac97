import * as fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { parseAddress } from '../../page/address/page-address.js';
import { kubectlCommand, quoted } from '../../page/frame/kubectl.js';

const nowhere = { context: undefined, demo: false, forcedNamespace: undefined };

const command = (search: string, cluster: Partial<typeof nowhere> | { readonly context: string } = {}) =>
  kubectlCommand(parseAddress(search), { ...nowhere, ...cluster });

describe('the kubectl command of the page', () => {
  it.each([
    ['?open=v1/pods:shop/web-1', 'kubectl -n shop get pod web-1 -o yaml'],
    ['?open=v1/nodes:worker-1', 'kubectl get node worker-1 -o yaml'],
    ['?open=apps/v1/deployments:shop/web', 'kubectl -n shop get deployment web -o yaml'],
    ['?open=v1/endpoints:shop/web', 'kubectl -n shop get endpoints web -o yaml'],
    [
      '?open=data.example.com/v1/databases:shop/orders',
      'kubectl -n shop get databases.v1.data.example.com orders -o yaml',
    ],
    ['?open=v1/pods:shop/web-1&tab=events', 'kubectl -n shop events --for=pod/web-1'],
    ['?open=v1/pods:shop/web-1&tab=logs', 'kubectl -n shop logs pod/web-1 --tail=500 -f'],
    [
      '?open=v1/pods:shop/web-1&tab=logs&logs.previous=on&logs.container=main&logs.tail=100&logs.times=on',
      'kubectl -n shop logs pod/web-1 -c main --tail=100 --timestamps --previous',
    ],
    [
      '?open=apps/v1/deployments:shop/web&tab=logs',
      'kubectl -n shop logs deployment/web --all-pods=true --max-log-requests=50 --tail=500 -f',
    ],
    ['?context=b&open=v1/pods:shop/web-1', 'kubectl --context b -n shop get pod web-1 -o yaml'],
    ['', 'kubectl get pods -A'],
    ['?namespace=shop', 'kubectl -n shop get pods'],
    [
      '?is.namespace=shop&is.label.tier=front&is.label.tier=back&text=component%3Dworker&is.node=n1',
      "kubectl -n shop get pods -l 'component=worker,tier in (back,front)' --field-selector spec.nodeName=n1",
    ],
    ['?view=workloads', 'kubectl get deployments,replicasets,statefulsets,daemonsets,cronjobs,jobs -A'],
    ['?view=workloads&workloads.show=services&is.namespace=shop', 'kubectl -n shop get services'],
    ['?view=kinds&kind=networking.k8s.io/v1/ingresses', 'kubectl get ingresses.v1.networking.k8s.io -A'],
    ['?view=timeline&is.namespace=shop', 'kubectl -n shop events'],
    [
      '?view=logs&is.namespace=shop&text=app%3Dweb',
      'kubectl -n shop logs -l app=web --prefix --max-log-requests=50 --tail=500 -f',
    ],
    [
      '?view=logs&is.owner=Deployment/shop/web',
      'kubectl -n shop logs deployment/web --all-pods=true --max-log-requests=50 --tail=500 -f',
    ],
  ])('at %s is %s, and expresses the whole screen', (search, text) => {
    expect(command(search)).toEqual({ text, omitted: [] });
  });

  it('names the context of the page, except for the embedded cluster', () => {
    expect(command('', { context: 'prod eu' }).text).toBe("kubectl --context 'prod eu' get pods -A");
    expect(kubectlCommand(parseAddress(''), { ...nowhere, context: 'demo', demo: true }).text).toBe(
      'kubectl get pods -A',
    );
  });

  it.each([
    ['?is.status=Running&text=web', 'kubectl get pods -A', ['status', 'words']],
    ['?is.namespace=a&is.namespace=b', 'kubectl get pods -A', ['several namespaces']],
    ['?is.node=n1&is.node=n2', 'kubectl get pods -A', ['several nodes']],
    ['?view=logs', 'kubectl get pods -A', ['logs']],
    ['?is.label.-bad-=x', 'kubectl get pods -A', ['labels']],
  ])('at %s is %s, and says what it cannot express', (search, text, omitted) => {
    expect(command(search)).toEqual({ text, omitted });
  });

  it('means the same words to a POSIX shell, regardless of their characters', () => {
    const word = fc.string({ unit: 'grapheme-ascii', minLength: 1 });
    const words = fc.sample(word, 300).concat("it's", '$(reboot)', '`x`', '"', '\\', '*', '~', '#', '!!', "'");
    const script = `printf '%s\\0' ${words.map(quoted).join(' ')}`;
    const read = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
    expect(read).toEqual(words);
  });

  it('has no control characters and no option that a link brought in', () => {
    const search = `?${new URLSearchParams({ open: 'v1/pods:shop/--kubeconfig=/x', 'is.namespace': 'a\u0003\nreboot' })}`;
    expect(command(search).text).toBe('kubectl -n shop get pod/--kubeconfig=/x -o yaml');
    expect(quoted('a\u0003\nreboot\u001b[2J')).toBe("'a\\u0003\\u000areboot\\u001b[2J'");
  });
});
