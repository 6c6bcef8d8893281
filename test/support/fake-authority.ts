import type { AuthAnswer, AuthQuestion, ViewerAuthority } from '../../src/agent/auth-ports.ts';

/** An authority that answers as a test says, and remembers what it was asked. */
export function createFakeAuthority(
  answer: (question: AuthQuestion) => AuthAnswer | Promise<AuthAnswer>,
): ViewerAuthority & { readonly asked: AuthQuestion[] } {
  const asked: AuthQuestion[] = [];
  return {
    asked,
    async ask(question) {
      asked.push(question);
      return answer(question);
    },
  };
}
