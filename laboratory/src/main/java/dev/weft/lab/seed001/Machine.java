package dev.weft.lab.seed001;

/**
 * A machine to run programs on, in the real sizes of the experiment.
 *
 * @param backing what it swaps to
 * @param memoryMb its memory, what the kernel keeps included, MB; ignored for local memory
 * @param swapMb size of the swap area, MB
 * @param servers memory servers for {@link Backing#HPBD}, 1 to 16
 * @param scale by how much memory, swap area and programs are smaller in the run, a power of two; sizes of pages and requests
 *     stay, so every page of the run stands for {@code scale} pages
 * @param hasBackgroundReclaim whether a kernel thread reclaims beside the programs
 */
public record Machine(Backing backing, int memoryMb, int swapMb, int servers, int scale, boolean hasBackgroundReclaim) {
  public Machine {
    if (servers < 1 || servers > 16) {
      throw new IllegalArgumentException(servers + " servers, must be 1 to 16");
    }
    if (Integer.bitCount(scale) != 1 || scale > 1024) {
      throw new IllegalArgumentException("scale is " + scale + ", must be a power of two up to 1024");
    }
    if (memoryMb < 1 || swapMb < 1) {
      throw new IllegalArgumentException(memoryMb + " MB of memory and " + swapMb + " MB of swap area, must be positive");
    }
  }

  /** The same machine with another backing. */
  public Machine with(Backing other) {
    return new Machine(other, memoryMb, swapMb, servers, scale, hasBackgroundReclaim);
  }

  /** The same machine with so many memory servers. */
  public Machine withServers(int count) {
    return new Machine(backing, memoryMb, swapMb, count, scale, hasBackgroundReclaim);
  }
}
