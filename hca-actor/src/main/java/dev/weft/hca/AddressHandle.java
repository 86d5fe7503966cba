package dev.weft.hca;

/**
 * Where datagrams go: a LID, of a port or of a multicast group, and the service level of the path to it; as {@code ibv_ah}. Made by
 * {@link Hca#createAh}. Any thread; posting copies what it says, so it may be destroyed while requests that name it are still queued.
 */
public final class AddressHandle {
  private final ProtectionDomain pd;
  private final int destLid;
  private final int serviceLevel;
  volatile boolean destroyed;

  AddressHandle(ProtectionDomain pd, int destLid, int serviceLevel) {
    this.pd = pd;
    this.destLid = destLid;
    this.serviceLevel = serviceLevel;
  }

  public ProtectionDomain pd() {
    return pd;
  }

  public int destLid() {
    return destLid;
  }

  public int serviceLevel() {
    return serviceLevel;
  }

  @Override
  public String toString() {
    return "AddressHandle[lid=" + destLid + " sl=" + serviceLevel + (destroyed ? " destroyed" : "") + "]";
  }
}
