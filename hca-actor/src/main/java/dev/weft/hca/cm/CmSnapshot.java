package dev.weft.hca.cm;

import java.util.List;

/**
 * The state of a node's connection manager at one moment, for inspection.
 *
 * @param services that are listened for, by name
 * @param datagramServices that are offered, by name
 * @param connectionsMax how many connections there may be, those being made included
 * @param connections being made, or made
 * @param lookups datagram services of others that were asked for, and not answered yet
 * @param unknownMessages messages that it did not understand
 */
public record CmSnapshot(List<String> services, List<String> datagramServices, int connectionsMax, List<Entry> connections, int lookups,
    long unknownMessages) {
  /**
   * A connection.
   *
   * @param state REQ_SENT, REQ_RECEIVED, REP_SENT or ESTABLISHED
   * @param qpNum queue pair of this node, 0 where the service has not accepted yet
   */
  public record Entry(long id, String peerNode, String state, int qpNum) {}
}
