package dev.weft.hca.cm;

import java.util.List;

/**
 * The state of a node's connection manager at one moment, for inspection.
 *
 * @param services names of the services that consumers listen for
 * @param datagramServices names of the datagram services that consumers offer
 * @param connectionsMax largest number of connections, established or being set up
 * @param connections the connections, established or being set up
 * @param lookups number of requests for the address of another node's datagram service that are not yet answered
 * @param unknownMessages number of messages of unknown types
 */
public record CmSnapshot(List<String> services, List<String> datagramServices, int connectionsMax, List<Entry> connections, int lookups,
    long unknownMessages) {
  /**
   * A connection.
   *
   * @param state REQ_SENT, REQ_RECEIVED, REP_SENT or ESTABLISHED
   * @param qpNum queue pair of this node; 0 if the service has not accepted yet
   */
  public record Entry(long id, String peerNode, String state, int qpNum) {}
}
