// Next.js is not among the dependencies: these are its modules, whatever they contain.
declare module "next/headers";
declare module "next/navigation";
declare module "next/server";
