declare module "jmespath" {
  export function search(data: unknown, expression: string): unknown;
}
