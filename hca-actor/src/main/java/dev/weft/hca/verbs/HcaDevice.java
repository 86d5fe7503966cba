package dev.weft.hca.verbs;

import java.util.List;

/**
 * What an HCA is: the queries of {@code ibv_context}. An HCA has one port, number 1, with one P_Key, that of the default partition, and one
 * GID, which follows from its LID. Any thread.
 */
public interface HcaDevice {
  DeviceAttr query();

  /** EINVAL unless {@code port} is 1, as all below. */
  PortAttr queryPort(int port);

  /**
   * Speed of the port in Mb/s.
   *
   * @throws VerbsException EOPNOTSUPP in real time, and where a simulated link has no limit: links are as fast as the machine then
   */
  long queryPortSpeed(int port);

  /** The P_Key at a place of the table; EINVAL beyond its end. */
  int queryPkey(int port, int index);

  /** The place of a P_Key; ENODATA if it is not in the table. */
  int pkeyIndex(int port, int pkey);

  /** The GID at a place of the table; EINVAL beyond its end, ENODATA while the port has no LID. */
  Gid queryGid(int port, int index);

  /** The same with where it is. */
  GidEntry queryGidEx(int port, int index);

  /** All GIDs; EINVAL if there are more than {@code entriesMax}. */
  List<GidEntry> queryGidTable(int entriesMax);
}
