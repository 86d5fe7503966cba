package dev.weft.hca.device;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.verbs.DeviceAttr;
import dev.weft.hca.verbs.FlushType;
import dev.weft.hca.verbs.Gid;
import dev.weft.hca.verbs.GidEntry;
import dev.weft.hca.verbs.HcaDevice;
import dev.weft.hca.verbs.HcaSettings;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.PortAttr;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.util.List;

/** Answers queries from the settings of the HCA and the state of its port. */
final class DeviceQueries implements HcaDevice {
  private static final int PORTS = 1;
  private static final int TABLE_LENGTH = 1;
  private static final int PAGE_BYTES = 4096;
  /** The upper bits of a locally administered EUI-64; the lower bits are the LID. */
  private static final long GUID_PREFIX = 0x0257_00ff_fe00_0000L;

  private final DeviceVerbs hca;
  private final HcaSettings settings;

  DeviceQueries(DeviceVerbs hca, HcaSettings settings) {
    this.hca = hca;
    this.settings = settings;
  }

  @Override
  public DeviceAttr query() {
    int lid = hca.lid();
    return new DeviceAttr(lid == 0 ? 0 : GUID_PREFIX | lid, Long.MAX_VALUE, PAGE_BYTES, settings.queuePairsMax(),
        settings.workRequestsMax(), settings.sgeMax(), settings.inlineMaxBytes(), settings.completionQueuesMax(),
        settings.completionsMax(), settings.protectionDomainsMax(), settings.memoryRegionsMax(), settings.sharedReceiveQueuesMax(),
        settings.rdAtomicMax(), settings.multicastAttachmentsMax(), TABLE_LENGTH, settings.deviceMemoryMaxBytes(), Math.min(PORTS, 255), PORTS,
        settings.persistentFlush() ? FlushType.ALL : FlushType.GLOBAL);
  }

  @Override
  public PortAttr queryPort(int port) {
    checkPort(port);
    HcaSnapshot now = hca.inspect();
    return new PortAttr(now.linkUp() && now.lid() != 0, now.lid(), settings.pathMtuMaxBytes(), hca.portMtuBytes(),
        settings.messageMaxBytes(), TABLE_LENGTH, TABLE_LENGTH);
  }

  @Override
  public long queryPortSpeed(int port) {
    checkPort(port);
    if (hca.portSpeedBitsPerSecond() == 0) {
      throw new VerbsException(Errno.EOPNOTSUPP, "port " + port + " has no fixed speed; only ports of simulated links have one");
    }
    return hca.portSpeedBitsPerSecond() / 1_000_000;
  }

  @Override
  public int queryPkey(int port, int index) {
    checkPort(port);
    checkIndex(index);
    return Packet.DEFAULT_PKEY;
  }

  @Override
  public int pkeyIndex(int port, int pkey) {
    checkPort(port);
    if (pkey != Packet.DEFAULT_PKEY) {
      throw new VerbsException(Errno.ENODATA, "P_Key 0x" + Integer.toHexString(pkey) + " is not in the table of port " + port);
    }
    return 0;
  }

  @Override
  public Gid queryGid(int port, int index) {
    return queryGidEx(port, index).gid();
  }

  @Override
  public GidEntry queryGidEx(int port, int index) {
    checkPort(port);
    checkIndex(index);
    if (hca.lid() == 0) {
      throw new VerbsException(Errno.ENODATA, "entry " + index + " of the GID table is empty: the port has no LID yet");
    }
    return new GidEntry(Gid.ofLid(hca.lid()), index, port);
  }

  @Override
  public List<GidEntry> queryGidTable(int entriesMax) {
    List<GidEntry> entries = hca.lid() == 0 ? List.of() : List.of(queryGidEx(PORTS, 0));
    if (entries.size() > entriesMax) {
      throw new VerbsException(Errno.EINVAL, "entriesMax is " + entriesMax + ", must be at least " + entries.size());
    }
    return entries;
  }

  private static void checkPort(int port) {
    if (port != PORTS) {
      throw new VerbsException(Errno.EINVAL, "port is " + port + ", must be " + PORTS);
    }
  }

  private static void checkIndex(int index) {
    if (index < 0 || index >= TABLE_LENGTH) {
      throw new VerbsException(Errno.EINVAL, "index is " + index + ", must be from 0 to " + (TABLE_LENGTH - 1));
    }
  }
}
