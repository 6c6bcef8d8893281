import type { z } from '@hono/zod-openapi';
import { problemView } from './admin-schemas.ts';

/** A call that needs the bearer token, under a heading of the API page. */
export const tagged = (tag: string) => ({ tags: [tag], security: [{ bearer: [] }] });

/** A JSON answer. */
export function answer<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

/** An answer that tells a fault (RFC 9457). */
export const fault = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: problemView } },
});

export const unauthorized = {
  401: fault('the bearer token is missing or wrong'),
  403: fault('the bearer token is good for reading only'),
  429: fault('too many wrong bearer tokens from this address'),
  503: fault('the identity provider cannot be asked'),
};
export const notFound = { 404: fault('there is no such thing') };
export const invalid = { 400: fault('a parameter or the body is wrong') };
export const conflict = { 409: fault('the present state does not allow it') };
