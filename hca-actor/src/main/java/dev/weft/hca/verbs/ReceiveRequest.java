package dev.weft.hca.verbs;

import dev.weft.fabric.Check;

/** A receive work request. Reusable, because posting copies it. Not thread safe. */
public final class ReceiveRequest {
  private final SgList sgList = new SgList();
  private long wrId;

  /** Starts a new request without buffers. */
  public ReceiveRequest receive(long id) {
    sgList.clear();
    wrId = id;
    return this;
  }

  public ReceiveRequest sge(long address, int lengthBytes, int lkey) {
    sgList.add(address, lengthBytes, lkey);
    return this;
  }

  public ReceiveRequest sge(MemoryRegion mr, long offset, int lengthBytes) {
    Check.given("mr", mr);
    return sge(mr.addr() + offset, lengthBytes, mr.lkey());
  }

  /** The scatter/gather elements, for the code that posts this. */
  public SgList sgList() {
    return sgList;
  }

  public long wrId() {
    return wrId;
  }
}
