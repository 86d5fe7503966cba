/**
 * The memory server (HPBD sections 4.3.1, 4.3.3 and 5). It lends memory to clients; each client has its own area. The server
 * moves the data by RDMA Read and Write, several transfers at a time, and replies with a solicited Send. Begin with {@link
 * dev.weft.pager.server.MemoryServer} and {@link dev.weft.pager.server.ServerCore}.
 */
package dev.weft.pager.server;
