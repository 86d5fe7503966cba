/** The pager as backing store of a host's virtual memory (seeds 001 and 004). */
package dev.weft.pager.netvm;
