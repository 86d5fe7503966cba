package dev.weft.dsm.sites;

import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;

/** A program that makes an array. */
public final class Somewhere {
  private Somewhere() {}

  public static SharedLongs page(SharedSpace space, String name, long length, SharingUnit unit) {
    return space.longs(name, length, unit);
  }
}
