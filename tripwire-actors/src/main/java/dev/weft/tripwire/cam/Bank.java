package dev.weft.tripwire.cam;

/** The kind of memory and access that a Tripwire watches. Each kind is an address space of its own. */
public enum Bank {
  /** Memory of this host, in an aperture, read by another host. */
  LOCAL_READ,
  /** Memory of this host, in an aperture, written by another host. */
  LOCAL_WRITE,
  /** Memory of another host, mapped here, read by this host. */
  REMOTE_READ,
  /** Memory of another host, mapped here, written by this host. */
  REMOTE_WRITE,
  /** Memory registered with this host's HCA, read by RDMA Read or an atomic. */
  REGION_READ,
  /** Memory registered with this host's HCA, written by RDMA Write or an atomic. */
  REGION_WRITE
}
