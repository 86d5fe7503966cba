/**
 * The pager client (HPBD sections 4.2, 4.3 and 5): a block device over the memory of one to sixteen servers, with a
 * registered pool, credits, and replies that it reaps in bursts on a solicited event. Begin with {@link dev.weft.pager.client.PagerClient} and {@link
 * dev.weft.pager.client.PagerClientActor}.
 */
package dev.weft.pager.client;
