package dev.weft.fabric.host;

import com.typesafe.config.Config;

/**
 * What memory costs. Times in nanoseconds, bandwidth in bytes per second.
 *
 * @param copyBytesPerSecond one processor copying, source and target out of cache
 * @param pageBytes page size, a power of two
 * @param registerNs registration of a region, whatever its size
 * @param registerPageNs for each of its pages in addition
 * @param deregisterNs the reverse
 * @param deregisterPageNs for each page in addition
 * @param fastRegisterNs mapping a buffer to a region that was allocated before (FMR), whatever its size
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

  /** Nanoseconds of copying. */
  public long copyNs(long bytes) {
    return ProfileReader.transferNs(bytes, copyBytesPerSecond);
  }

  /** Nanoseconds of registering a buffer of so many bytes that starts on a page. */
  public long registrationNs(long bytes) {
    return registerNs + pages(bytes) * registerPageNs;
  }

  /** Nanoseconds of deregistering it. */
  public long deregistrationNs(long bytes) {
    return deregisterNs + pages(bytes) * deregisterPageNs;
  }

  /** Nanoseconds of fast registration. */
  public long fastRegistrationNs(long bytes) {
    return fastRegisterNs + pages(bytes) * fastRegisterPageNs;
  }

  /** Nanoseconds of deregistering one buffer of a batch: less for the call, the same for its pages. */
  public long batchDeregistrationNs(long bytes) {
    return batchDeregisterNs + pages(bytes) * deregisterPageNs;
  }

  /** Nanoseconds of changing the protection of a range in one call, without the system call itself. */
  public long protectionNs(long bytes) {
    return protectNs + pages(bytes) * protectPageNs;
  }

  private long pages(long bytes) {
    return Math.ceilDiv(bytes, pageBytes);
  }
}
