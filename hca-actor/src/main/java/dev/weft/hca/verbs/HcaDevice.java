package dev.weft.hca.verbs;

import java.util.List;

/**
 * The properties of an HCA: the queries of {@code ibv_context}. An HCA has one port, number 1. The port has one P_Key, that of the default partition, and
 * one GID, derived from its LID. Any thread.
 */
public interface HcaDevice {
  DeviceAttr query();

  /** Returns the attributes of a port; EINVAL unless {@code port} is 1, as for all methods below. */
  PortAttr queryPort(int port);

  /**
   * Returns the speed of the port in Mb/s.
   *
   * @throws VerbsException EOPNOTSUPP in real time and for a simulated link without a limit, where links are as fast as the machine
   */
  long queryPortSpeed(int port);

  /** Returns the P_Key at an index of the table; EINVAL beyond its end. */
  int queryPkey(int port, int index);

  /** Returns the index of a P_Key; ENODATA if it is not in the table. */
  int pkeyIndex(int port, int pkey);

  /** Returns the GID at an index of the table; EINVAL beyond its end, ENODATA while the port has no LID. */
  Gid queryGid(int port, int index);

  /** Like {@link #queryGid}, with the index and the port. */
  GidEntry queryGidEx(int port, int index);

  /** Returns all GIDs; EINVAL if there are more than {@code entriesMax}. */
  List<GidEntry> queryGidTable(int entriesMax);
}
