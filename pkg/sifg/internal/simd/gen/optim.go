package main

import . "github.com/mmcloughlin/avo/operand"

// optimisers emits the steps of the optimisers and the elements of the losses.
func optimisers(b backend) {
	b.pointwise("addScaled", "w", "dst, x []float32, alpha float32, w []float32", func(l vectors) {
		l.put(l.addTo(l.get("x"), l.param("alpha"), l.get("w")), "dst")
	})
	b.pointwise("descend", "g", "theta, g []float32, lr float32", func(l vectors) {
		descend(l, l.get("g"), l.param("lr"))
	})
	b.pointwise("nesterov", "g", "theta, g, buf []float32, lr, momentum float32", func(l vectors) {
		g := l.get("g")
		buf := l.fma(l.get("buf"), l.param("momentum"), g)
		l.put(buf, "buf")
		descend(l, l.fma(buf, l.param("momentum"), g), l.param("lr"))
	})
	b.pointwise("adam", "g", "theta, g, m, v []float32, step, rcorr, beta1, beta2, eps, keep1, keep2 float32",
		func(l vectors) {
			g := l.get("g")
			mi := l.fma(l.get("m"), l.param("beta1"), l.mul(g, l.param("keep1")))
			vi := l.fma(l.get("v"), l.param("beta2"), l.mul(l.mul(g, g), l.param("keep2")))
			l.put(mi, "m")
			l.put(vi, "v")
			descend(l, l.div(mi, l.fma(l.sqrt(vi), l.param("rcorr"), l.param("eps"))), l.param("step"))
		})
	b.pointwise("adaGrad", "v", "theta, g, v []float32, keep, add, step, eps float32", func(l vectors) {
		// rounded one by one
		v := l.get("v")
		g := l.add(l.mul(l.get("g"), l.param("keep")), l.mul(l.mul(v, l.param("add")), v))
		l.put(g, "g")
		l.put(l.add(l.get("theta"), l.div(l.mul(v, l.param("step")), l.add(l.sqrt(g), l.param("eps")))), "theta")
	})
	b.pointwise("residual", "f", "g, square, f, w []float32, scale, gscale float32", func(l vectors) {
		// rounded one by one
		r := l.add(l.get("f"), l.mul(l.get("w"), l.param("scale")))
		l.put(l.mul(r, l.param("gscale")), "g")
		l.put(l.mul(r, r), "square")
	})
	stein(b, "stein", "g, gt, along, power, f, s, e, pow []float32, inv float32")
	stein(b, "steinTangent", "g, gt, along, power, f, s, e, pow, je []float32, inv float32")
}

// stein emits the elements of the Stein loss, each operation rounded by itself.
func stein(b backend, name, params string) {
	b.pointwise(name, "f", params, func(l vectors) {
		f, s, e := l.get("f"), l.get("s"), l.get("e")
		signed := l.or(l.abs(l.get("pow")), l.and(f, l.words(signBit)))
		along := l.mul(f, s)
		if name == "steinTangent" {
			along = l.add(along, l.mul(e, l.get("je")))
		}
		l.put(along, "along")
		l.put(l.mul(signed, f), "power")
		l.put(l.mul(l.sub(signed, s), l.param("inv")), "g")
		l.put(l.mul(e, l.neg(l.param("inv"))), "gt")
	})
}

// descend sets theta −= lr·direction.
func descend(l vectors, direction, lr Op) {
	l.put(l.subFrom(l.get("theta"), lr, direction), "theta")
}
