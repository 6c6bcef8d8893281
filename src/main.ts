#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { loadConfig } from './config.ts';
import type { Config } from './core/config.ts';
import { AgentError } from './core/errors.ts';
import { version } from './version.ts';

const help = `understudy ${version}

Usage: understudy <command>

  serve     run the agent of a node, configured by UNDERSTUDY_* variables and .env
  check     whether a domain is fit for viewers, before they are let in
  drill     players of the node itself meet a failure: how do they fare?
  explain   why a viewer would get what he gets
  demo      three nodes on this machine with a test channel and a page to play with
  version   print the version

understudy <command> --help says more. Exit codes: 0 fine, 1 failed, 2 wrong usage or configuration.`;

const serveHelp = `Usage: understudy serve

Runs the agent of this node until SIGTERM or SIGINT. Settings are UNDERSTUDY_* variables in the environment or in .env;
.env.example lists them all. SIGHUP reads the streams file again.`;

const say = (text: string) => console.log(text);

/** Each command loads what it needs, and nothing of the others. */
async function run(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  switch (command) {
    case 'serve':
      return serve(rest);
    case 'check':
      return (await import('./check-command.ts')).runCheck(rest, {
        config: configOfHere,
        say,
        nowMs: Date.now,
      });
    case 'explain':
      return (await import('./explain-command.ts')).runExplain(rest, { config: configOfHere, say });
    case 'drill':
      return (await import('./drill-command.ts')).runDrill(rest, {
        config: configOfHere,
        say,
        onInterrupt,
      });
    case 'demo':
      return (await import('./demo/demo.ts')).runDemo(rest, say);
    case 'version':
    case '--version':
      say(version);
      return 0;
    case 'help':
    case '--help':
    case '-h':
      say(help);
      return 0;
    default:
      console.error(help);
      return 2;
  }
}

async function serve(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    say(serveHelp);
    return 0;
  }
  if (args.length > 0) {
    console.error(serveHelp);
    return 2;
  }
  const { startAgent } = await import('./compose.ts');
  const agent = await startAgent(configOfHere());
  if (agent.freshAdminToken !== undefined)
    console.error(`Admin token, shown this once: ${agent.freshAdminToken}`);
  process.on('SIGHUP', () => agent.reloadStreams());
  await untilTold();
  await agent.stop();
  return 0;
}

/** Resolves with the first signal to stop; any further one ends the process at once. */
async function untilTold(): Promise<void> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  await new Promise<void>((resolve) => {
    const stop = () => {
      for (const signal of signals) process.off(signal, stop);
      resolve();
    };
    for (const signal of signals) process.on(signal, stop);
  });
}

/** Calls `end` with the first Ctrl-C; the next one ends the process. */
function onInterrupt(end: () => void): () => void {
  process.once('SIGINT', end);
  return () => void process.off('SIGINT', end);
}

/** From the environment and `.env`. @throws config_invalid */
function configOfHere(): Config {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return loadConfig(process.env);
}

function explain(error: unknown): number {
  console.error(error instanceof AgentError ? error.message : error);
  return error instanceof AgentError && error.code === 'config_invalid' ? 2 : 1;
}

process.exitCode = await run(process.argv.slice(2)).catch(explain);
