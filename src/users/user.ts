/** Somebody who signs in to one application. Instants are epoch milliseconds. */
export type User = {
  id: string;
  appId: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  picture: string | null;
  handle: string;
  createdAt: number;
  updatedAt: number;
  disabledAt: number | null;
  lastLoginAt: number | null;
  loginCount: number;
  lastIpAddress: string | null;
  lastUserAgent: string | null;
};
