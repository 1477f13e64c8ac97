import { readdirSync, readFileSync } from 'node:fs';

describe('the page of the questions about a cluster', () => {
  it('shows each function of the example as it is tested', () => {
    const page = readFileSync('docs/how-to/cluster-questions.md', 'utf8');
    const files = readdirSync('examples/cookbook').filter((file) => /(?<!\.test)\.ts$/.test(file));
    const shown = files.filter((file) => {
      const code = readFileSync(`examples/cookbook/${file}`, 'utf8');
      return page.includes(`\`\`\`ts\n// ${file}\n${code}\`\`\`\n`);
    });
    expect(files).toHaveLength(11);
    expect(shown).toEqual(files);
  });
});
