/**
 * The memory server (seed 001 sections 4.3.1, 4.3.3 and 5): RAM lent to clients, each with an area of its own; the server
 * moves the data by RDMA Read and Write, several at a time, and answers with a solicited Send.
 */
package dev.weft.pager.server;
