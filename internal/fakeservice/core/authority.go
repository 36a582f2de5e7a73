package core

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// Authority is an instance's own certificate authority.
type Authority struct {
	// Certificate and Key are PEM.
	Certificate, Key string
}

// organization is the organization in the subject of every certificate of the fake.
const organization = "Instance hosting"

// Clients check certificates against the real time, and the fake's clock may be far ahead
// of it. So the certificates' times are real. They begin an hour in the past for clients
// with slow clocks.
const (
	backdated  = time.Hour
	validYears = 10
)

// newAuthority makes an authority. It panics if the system has no randomness.
func newAuthority(name string) Authority {
	template := newCertificate(name)
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.MaxPathLenZero = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	key := newKey()
	certificate, err := sign(template, template, key, key)
	if err != nil {
		panic("core: " + err.Error())
	}
	return Authority{certificate, encodeKey(key)}
}

// Issue makes a server certificate and its key for a host name or address, both as PEM.
// The host is also the common name, because libpq before version 15 looks for an address
// only there. The certificate is valid for the others too.
func (a Authority) Issue(host string, others ...string) (certificate, key string, err error) {
	own, ownKey, err := a.parse()
	if err != nil {
		return "", "", err
	}
	template := newCertificate(host)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, name := range append([]string{host}, others...) {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	private := newKey()
	certificate, err = sign(template, own, private, ownKey)
	return certificate, encodeKey(private), err
}

func (a Authority) parse() (*x509.Certificate, crypto.PrivateKey, error) {
	pair, err := tls.X509KeyPair([]byte(a.Certificate), []byte(a.Key))
	if err != nil {
		return nil, nil, err
	}
	return pair.Leaf, pair.PrivateKey, nil
}

// newCertificate returns a template with the fields that all certificates share.
func newCertificate(name string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic("core: " + err.Error())
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name, Organization: []string{organization}},
		NotBefore:    now.Add(-backdated),
		NotAfter:     now.AddDate(validYears, 0, 0),
	}
}

func newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic("core: " + err.Error())
	}
	return key
}

// sign makes the certificate of a key, as PEM.
func sign(template, issuer *x509.Certificate, key *ecdsa.PrivateKey, issuerKey crypto.PrivateKey) (string, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, issuerKey)
	if err != nil {
		return "", err
	}
	return encodePEM("CERTIFICATE", der), nil
}

func encodeKey(key *ecdsa.PrivateKey) string {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic("core: " + err.Error())
	}
	return encodePEM("PRIVATE KEY", der)
}

func encodePEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
