/**
 * The pager client (seed 001 sections 4.2, 4.3 and 5): a block device over the memory of one to sixteen servers, with a
 * registered pool, credits, and replies reaped in bursts on a solicited event.
 */
package dev.weft.pager.client;
