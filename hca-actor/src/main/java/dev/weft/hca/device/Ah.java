package dev.weft.hca.device;

import dev.weft.hca.memory.Pd;
import dev.weft.hca.verbs.AddressHandle;

/** An address handle. */
final class Ah implements AddressHandle {
  private final Pd pd;
  private final int destLid;
  private final int serviceLevel;
  volatile boolean destroyed;

  Ah(Pd pd, int destLid, int serviceLevel) {
    this.pd = pd;
    this.destLid = destLid;
    this.serviceLevel = serviceLevel;
  }

  @Override
  public Pd pd() {
    return pd;
  }

  @Override
  public int destLid() {
    return destLid;
  }

  @Override
  public int serviceLevel() {
    return serviceLevel;
  }

  @Override
  public boolean isDestroyed() {
    return destroyed;
  }

  @Override
  public String toString() {
    return "AddressHandle[lid=" + destLid + " sl=" + serviceLevel + (destroyed ? " destroyed" : "") + "]";
  }
}
