import adapter from "@sveltejs/adapter-node";
import { sveltekit } from "@sveltejs/kit/vite";

const { ORIGIN: origin = "http://localhost:3000" } = process.env;

// SvelteKit compares the origin of forms with that of the site.
export default { plugins: [sveltekit({ adapter: adapter(), paths: { origin } })] };
