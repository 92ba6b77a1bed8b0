/** As create-next-app writes it. */
export default { cacheComponents: true, partialPrefetching: true };
