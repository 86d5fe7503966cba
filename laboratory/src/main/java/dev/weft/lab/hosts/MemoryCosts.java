package dev.weft.lab.hosts;

import com.typesafe.config.Config;

/**
 * The costs of memory. Times are in nanoseconds, the bandwidth in bytes per second.
 *
 * @param copyBytesPerSecond copying by one processor, with source and target not in its cache
 * @param pageBytes page size, a power of two
 * @param registerNs registration of a region of any size
 * @param registerPageNs for each of its pages in addition
 * @param deregisterNs deregistration of a region of any size
 * @param deregisterPageNs for each page in addition
 * @param fastRegisterNs mapping a buffer of any size to a region that was allocated before (FMR)
 * @param fastRegisterPageNs for each page in addition
 * @param batchDeregisterNs share of one buffer in a batched deregistration
 * @param protectNs change of the protection of a range through the operating system, in addition to the system call
 * @param protectPageNs for each page in addition
 * @param pageFaultNs a fault up to the first instruction of its handler in user mode and back
 */
public record MemoryCosts(long copyBytesPerSecond, int pageBytes, long registerNs, long registerPageNs, long deregisterNs,
    long deregisterPageNs, long fastRegisterNs, long fastRegisterPageNs, long batchDeregisterNs, long protectNs,
    long protectPageNs, long pageFaultNs) {

  public MemoryCosts {
    ProfileReader.checkBandwidth("memory.copy-bandwidth", copyBytesPerSecond);
    ProfileReader.check("memory.page", pageBytes, 512, 1 << 30);
    if (Integer.bitCount(pageBytes) != 1) {
      throw new IllegalArgumentException("profile: memory.page is " + pageBytes + ", must be a power of two");
    }
    ProfileReader.checkTime("memory.register", registerNs);
    ProfileReader.checkTime("memory.register-page", registerPageNs);
    ProfileReader.checkTime("memory.deregister", deregisterNs);
    ProfileReader.checkTime("memory.deregister-page", deregisterPageNs);
    ProfileReader.checkTime("memory.fast-register", fastRegisterNs);
    ProfileReader.checkTime("memory.fast-register-page", fastRegisterPageNs);
    ProfileReader.checkTime("memory.batch-deregister", batchDeregisterNs);
    ProfileReader.checkTime("memory.protect", protectNs);
    ProfileReader.checkTime("memory.protect-page", protectPageNs);
    ProfileReader.checkTime("memory.page-fault", pageFaultNs);
  }

  static MemoryCosts from(Config c) {
    return new MemoryCosts(c.getBytes("copy-bandwidth"), Math.toIntExact(c.getBytes("page")), ProfileReader.ns(c, "register"),
        ProfileReader.ns(c, "register-page"), ProfileReader.ns(c, "deregister"), ProfileReader.ns(c, "deregister-page"),
        ProfileReader.ns(c, "fast-register"), ProfileReader.ns(c, "fast-register-page"),
        ProfileReader.ns(c, "batch-deregister"), ProfileReader.ns(c, "protect"), ProfileReader.ns(c, "protect-page"),
        ProfileReader.ns(c, "page-fault"));
  }

  /** Returns the nanoseconds to copy {@code bytes}. */
  public long copyNs(long bytes) {
    return ProfileReader.transferNs(bytes, copyBytesPerSecond);
  }

  /** Returns the nanoseconds to register a buffer of {@code bytes} that begins at a page boundary. */
  public long registrationNs(long bytes) {
    return registerNs + pages(bytes) * registerPageNs;
  }

  /** Returns the nanoseconds to deregister such a buffer. */
  public long deregistrationNs(long bytes) {
    return deregisterNs + pages(bytes) * deregisterPageNs;
  }

  /** Returns the nanoseconds of fast registration of such a buffer. */
  public long fastRegistrationNs(long bytes) {
    return fastRegisterNs + pages(bytes) * fastRegisterPageNs;
  }

  /** Returns the nanoseconds to deregister one buffer of a batch: its share of the call, and the full cost of its pages. */
  public long batchDeregistrationNs(long bytes) {
    return batchDeregisterNs + pages(bytes) * deregisterPageNs;
  }

  /** Returns the nanoseconds to change the protection of a range in one call, without the system call itself. */
  public long protectionNs(long bytes) {
    return protectNs + pages(bytes) * protectPageNs;
  }

  private long pages(long bytes) {
    return Math.ceilDiv(bytes, pageBytes);
  }
}
